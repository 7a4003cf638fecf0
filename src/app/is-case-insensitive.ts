/** Whether the system's usual file systems take `ETC` for `etc`. */
export const isCaseInsensitive = (): boolean => process.platform === "darwin" || process.platform === "win32";
