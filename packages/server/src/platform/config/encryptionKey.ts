/** AES-256. */
export const KEY_BYTES = 32

/** 32 bytes in base64; undefined when it is anything else. */
export const parseEncryptionKey = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text, "base64")
  return bytes.length === KEY_BYTES && bytes.toString("base64") === text ? bytes : undefined
}
