const BLOCK = 512

/** The header of a file's entry in an archive of the form ustar; the contents follow, filled up by `padding`. */
export const tarHeader = (name: string, size: number, time: number): Uint8Array => {
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0, 100)
  header.write("0000644\0", 100)
  header.write("0000000\0", 108)
  header.write("0000000\0", 116)
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124)
  header.write(
    `${Math.floor(time / 1000)
      .toString(8)
      .padStart(11, "0")}\0`,
    136
  )
  header.write("        ", 148)
  header.write("0", 156)
  header.write("ustar\u000000", 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return header
}

/** The zeros that follow contents of a size. */
export const padding = (size: number): Uint8Array => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK)

/** The end of an archive. */
export const tarEnd = new Uint8Array(2 * BLOCK)
