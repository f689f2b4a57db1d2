const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c

/** The brackets of objects and arrays are 0x20 apart. */
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d

/**
 * More than any request that makes sense. Below 1 MiB only the depth can be exceeded, so ordinary endpoints say which
 * array or object is too large.
 */
const most = { fields: 150_000, texts: 300_000, containers: 350_000, depth: 5000 }

const number = (value: number) => value.toLocaleString("en")

const tooMuch = `Must hold at most ${number(most.fields)} fields, ${number(most.texts)} strings and ${number(most.containers)} objects and arrays, nested at most ${number(most.depth)} deep`

const endOfString = (bytes: Uint8Array, start: number) => {
  let at = start
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

/**
 * Says whether JSON holds more than parsing it may cost. Five MiB of small objects or of names take the parser a quarter
 * of a second, in which the process does nothing else; counting their bytes takes some milliseconds.
 */
export const oversizeJson = (bytes: Uint8Array): string | undefined => {
  let [fields, texts, containers, depth] = [0, 0, 0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      texts++
      at = endOfString(bytes, at + 1)
    } else if (byte === COLON) fields++
    else if (isOpening(byte)) {
      containers++
      if (++depth > most.depth) return tooMuch
    } else if (isClosing(byte)) depth--
  }
  return fields > most.fields || texts > most.texts || containers > most.containers ? tooMuch : undefined
}
