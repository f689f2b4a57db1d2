import { type Language, languages } from "@edp/domain/shared/Language"

export const isLanguage = (text: string): text is Language => (languages as ReadonlyArray<string>).includes(text)

/** Longer headers are cut: no browser sends one. */
const MAX_HEADER = 1000

/** A language range with its weight (RFC 9110). */
const range = /^([a-z]{1,8}|\*)(?:-[a-z0-9-]{1,60})?(?:;q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/

/** The language of Accept-Language with the greatest weight; undefined if none is available. Malformed members are ignored. */
const acceptedLanguage = (header: string): Language | undefined => {
  const weights = new Map<string, number>()
  for (const member of header.slice(0, MAX_HEADER).toLowerCase().split(",")) {
    const [, primary, weight = "1"] = range.exec(member.replaceAll(/[ \t]/g, "")) ?? []
    if (primary !== undefined) weights.set(primary, Math.max(weights.get(primary) ?? 0, Number(weight)))
  }
  let best: Language | undefined
  let greatest = 0
  for (const [primary, weight] of weights) {
    const language = primary === "*" ? languages.find((each) => !weights.has(each)) : primary
    if (weight > greatest && language !== undefined && isLanguage(language)) [best, greatest] = [language, weight]
  }
  return best
}

/** The language of a page: the given one, else the first available one of Accept-Language, else English. */
export const chooseLanguage = (given: Language | null, acceptLanguage: string | null): Language =>
  given ?? (acceptLanguage === null ? undefined : acceptedLanguage(acceptLanguage)) ?? languages[0]
