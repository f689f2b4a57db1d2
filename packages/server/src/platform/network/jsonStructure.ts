/** Limits for the content of a JSON text. */
export interface JsonLimits {
  readonly fields: number
  readonly strings: number
  /** Objects and arrays. */
  readonly containers: number
  /** Levels of nesting. */
  readonly depth: number
}

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c

/** The brackets of objects and arrays are 0x20 apart. */
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d

const endOfString = (bytes: Uint8Array, start: number) => {
  let at = start
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

/**
 * Says whether JSON holds more than parsing it may cost. Five MiB of small objects or of names take the parser a quarter
 * of a second, in which the process does nothing else; counting their bytes takes some milliseconds.
 */
export const isOversizeJson = (bytes: Uint8Array, most: JsonLimits): boolean => {
  let [fields, strings, containers, depth] = [0, 0, 0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      strings++
      at = endOfString(bytes, at + 1)
    } else if (byte === COLON) fields++
    else if (isOpening(byte)) {
      containers++
      if (++depth > most.depth) return true
    } else if (isClosing(byte)) depth--
  }
  return fields > most.fields || strings > most.strings || containers > most.containers
}
