export type Coding = "br" | "gzip"

/** In the order of our preference among those that the caller likes equally. */
const codings: ReadonlyArray<Coding> = ["br", "gzip"]

export interface Agreed {
  readonly coding: Coding
  /** The caller takes nothing uncompressed, however small. */
  readonly always: boolean
}

const member = /^([\w*-]+)(?:;q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/

/** Weights of the header's codings, 0 to 1; what is not of its grammar is passed over. */
const weightsOf = (header: string) => {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(",")) {
    const [, name, weight = "1"] = member.exec(part.replaceAll(/[ \t]/g, "")) ?? []
    if (name !== undefined) weights.set(name === "x-gzip" ? "gzip" : name, Number(weight))
  }
  return weights
}

/**
 * The coding of an answer by the request's Accept-Encoding: the one of the greatest weight; undefined for none, which
 * is also the answer to a caller who accepts nothing that there is.
 */
export const agreeOn = (acceptEncoding: string | undefined): Agreed | undefined => {
  if (acceptEncoding === undefined) return undefined
  const weights = weightsOf(acceptEncoding)
  const others = weights.get("*")
  const weightOf = (coding: Coding) => weights.get(coding) ?? others ?? 0
  const coding = codings.reduce((best, one) => (weightOf(one) > weightOf(best) ? one : best))
  const identity = weights.get("identity") ?? (others === 0 ? 0 : undefined)
  if (weightOf(coding) === 0 || (identity !== undefined && identity > weightOf(coding))) return undefined
  return { coding, always: identity === 0 }
}
