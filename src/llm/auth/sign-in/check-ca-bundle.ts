import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { messageOf } from "../../../base/app-error.ts";
import { signInErrors } from "./errors.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Makes sure that a file holds certificates, each of them readable. Throws `sign_in.bad_ca_bundle`. */
export const checkCaBundle = async (path: string): Promise<void> => {
  try {
    const certificates = ((await readFile(path, "utf8")).match(CERTIFICATE) ?? []).map(
      (text) => new X509Certificate(text),
    );
    if (certificates.length === 0) throw new Error("it holds no certificate in PEM form");
  } catch (thrown) {
    throw signInErrors.badCaBundle({ path, why: messageOf(thrown) }, thrown);
  }
};
