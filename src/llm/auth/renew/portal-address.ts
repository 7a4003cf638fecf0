import type { TlsTrust } from "../../http.ts";
import { asRecord, asText } from "../../wires/json-fields.ts";
import type { JsonObject } from "../vault/pool-entry.ts";
import type { LoginEndpoints } from "./login-providers.ts";
import { isSafeAddress } from "./safe-address.ts";

/** Whether all of a provider's sign-in is in one place, so that another place can stand for it. */
export const hasOnePortal = (endpoints: LoginEndpoints): boolean =>
  new Set(addressesOf(endpoints).map(originOf)).size === 1;

/** The place of a provider's sign-in. */
export const portalOf = ({ token }: LoginEndpoints): string => originOf(token);

/** The addresses moved to another portal; their paths stay, below the portal's own. */
export const atPortal = <E extends LoginEndpoints>(endpoints: E, portal: string): E => {
  const base = portal.replace(/\/+$/, "");
  const moved = Object.entries(endpoints).map(([name, address]) => {
    const own = typeof address === "string" ? URL.parse(address) : null;
    return [name, own === null ? address : `${base}${own.pathname}${own.search}`];
  });
  return { ...endpoints, ...Object.fromEntries(moved) };
};

const addressesOf = (endpoints: LoginEndpoints): readonly string[] =>
  Object.values(endpoints).filter((address): address is string => typeof address === "string");

const originOf = (address: string): string => URL.parse(address)?.origin ?? address;

/** The portal that a login was made at (`portal_base_url`), where it is not the provider's own (`endpoints`). */
export const ownPortal = (members: JsonObject, endpoints: LoginEndpoints): string | undefined => {
  const own = asText(members["portal_base_url"]);
  if (own === undefined || !isSafeAddress(own) || !hasOnePortal(endpoints)) return undefined;
  return originOf(own) === portalOf(endpoints) ? undefined : own;
};

/** What a login's portal is trusted by (`tls`), where its owner said so at the sign-in. */
export const trustOf = (members: JsonObject): TlsTrust | undefined => {
  const tls = asRecord(members["tls"]);
  if (tls === undefined) return undefined;
  const caFile = asText(tls["ca_bundle"]);
  const insecure = tls["insecure"] === true;
  return caFile === undefined && !insecure ? undefined : { caFile, insecure };
};

/** The same as members of an entry; undefined = the machine's own authorities alone. */
export const trustMembers = (trust: TlsTrust): JsonObject => ({
  tls:
    trust.caFile === undefined && trust.insecure !== true
      ? undefined
      : { insecure: trust.insecure === true, ...(trust.caFile === undefined ? {} : { ca_bundle: trust.caFile }) },
});
