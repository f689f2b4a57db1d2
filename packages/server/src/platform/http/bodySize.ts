const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c

/** The brackets of objects and arrays are 0x20 apart. */
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d

/** More than any request that makes sense. Below 1 MiB only the fields and the depth can be exceeded. */
const most = { texts: 300_000, containers: 350_000, depth: 5000 }

/** An object of very many names costs more to check than its size tells. */
export const FIELDS = { ordinary: 20_000, bulk: 150_000 }

const number = (value: number) => value.toLocaleString("en")

const tooMuch = (fields: number) =>
  `Must hold at most ${number(fields)} fields, ${number(most.texts)} strings and ${number(most.containers)} objects and arrays, nested at most ${number(most.depth)} deep`

const endOfString = (bytes: Uint8Array, start: number) => {
  let at = start
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

/**
 * Says whether JSON holds more than parsing it may cost. Five MiB of small objects or of names take the parser a quarter
 * of a second, in which the process does nothing else; counting their bytes takes some milliseconds.
 */
export const oversizeJson = (bytes: Uint8Array, mostFields: number): string | undefined => {
  let [fields, texts, containers, depth] = [0, 0, 0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      texts++
      at = endOfString(bytes, at + 1)
    } else if (byte === COLON) fields++
    else if (isOpening(byte)) {
      containers++
      if (++depth > most.depth) return tooMuch(mostFields)
    } else if (isClosing(byte)) depth--
  }
  const isTooMuch = fields > mostFields || texts > most.texts || containers > most.containers
  return isTooMuch ? tooMuch(mostFields) : undefined
}
