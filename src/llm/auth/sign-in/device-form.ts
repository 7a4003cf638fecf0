import { codexDeviceForm } from "./codex-device-form.ts";
import { minimaxDeviceForm } from "./minimax-device-form.ts";
import type { DeviceForm } from "./device-grant.ts";
import type { SignInProvider } from "./sign-in-provider.ts";
import { standardDeviceForm } from "./standard-device-form.ts";

/** The form of a provider's codes. */
export const deviceFormOf = (row: SignInProvider): DeviceForm => {
  switch (row.device?.form) {
    case "codex":
      return codexDeviceForm;
    case "minimax":
      return minimaxDeviceForm;
    case "standard":
    case undefined:
      return standardDeviceForm;
  }
};
