import { expect, test } from "vitest";
import { saysPassword } from "./says-password.ts";

test.each([
  "password is hunter2 for root",
  "The password for the router is: tide-table",
  "passphrase=correct horse",
  "Das Passwort ist Leuchtturm9",
  "le mot de passe est phare12",
  "PIN of the bank card: 4711",
])("%s is told as a password", (text) => expect(saysPassword(text)).toBe(true));

test.each([
  "The owner keeps passwords in Bitwarden.",
  "Asks for a password manager now and then",
  "The pin of the sail is bent",
  "Password hints go to the e-mail address",
  "Works at pin 12 of the board",
])("%s is not", (text) => expect(saysPassword(text)).toBe(false));
