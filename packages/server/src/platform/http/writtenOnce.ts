/** Writes answers as JSON: one that was given to several who asked for the same at the same time is written once. */
export const writtenOnce = <Answer extends object>() => {
  const texts = new WeakMap<Answer, Uint8Array>()
  return (answer: Answer): Uint8Array => {
    const known = texts.get(answer)
    if (known !== undefined) return known
    const bytes = Buffer.from(JSON.stringify(answer))
    texts.set(answer, bytes)
    return bytes
  }
}
