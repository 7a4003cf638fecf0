const NAMED =
  /\b(?:password|passphrase|passcode|passwort|kennwort|mot de passe|contraseña|senha)\b[^\n.;]{0,40}?(?:\bis\b|\bist\b|\best\b|\bes\b|:|=)\s*\S{3,}/iu;
const PIN = /\bpin\b\D{0,24}\d{4,8}\b/iu;

/** Whether a note tells a password or a PIN in words, which no pattern of keys finds. */
export const saysPassword = (text: string): boolean => NAMED.test(text) || PIN.test(text);
