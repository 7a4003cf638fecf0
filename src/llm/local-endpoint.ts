import { BlockList, isIP } from "node:net";

/** Loopback, private and link-local ranges; 100.64/10 is what Tailscale gives to the owner's other machines. */
const PRIVATE_RANGES: readonly (readonly [network: string, prefix: number, family: "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 32, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["::", 127, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
];

const isPrivateAddress = (address: string, version: number): boolean => {
  const ranges = new BlockList();
  for (const [network, prefix, family] of PRIVATE_RANGES) ranges.addSubnet(network, prefix, family);
  return ranges.check(address, version === 6 ? "ipv6" : "ipv4");
};

/**
 * Whether an endpoint is the owner's own: a loopback, private or link-local address, or a name that no public DNS holds
 * (`localhost`, `*.local`, `*.internal`, `*.lan`, a single label such as a container's name). Names are not looked up.
 */
export const isLocalEndpoint = (url: string): boolean => {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const version = isIP(host);
  if (version !== 0) return isPrivateAddress(host, version);
  return !host.includes(".") || /\.(?:localhost|local|internal|lan|home\.arpa)$/i.test(host);
};
