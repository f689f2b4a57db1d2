import type { Language } from "@edp/domain/shared/Language"
import { bindMessages, type CompiledMessages } from "./bindMessages.ts"
import type { Messages } from "./MessageTypes.ts"

export type { Messages }

/** The parts of the file of a language: what the first load needs, and what other pages need. */
const areas = {
  frame: (language: Language) => import(`../messages/${language}.json?area=frame`),
  pages: (language: Language) => import(`../messages/${language}.json?area=pages`)
}
export type Area = keyof typeof areas

const compiled: { [language in Language]?: { readonly [part: string]: CompiledMessages } } = {}
const bound: { [language in Language]?: Partial<Messages> } = {}
const usedAreas = new Set<Area>(["frame"])
const usedLanguages = new Set<Language>()

const load = async (language: Language, area: Area) => {
  const { default: parts } = await areas[area](language)
  compiled[language] = { ...compiled[language], ...parts }
}

const loaded = new Map<string, Promise<void>>()
const loadOnce = (language: Language, area: Area) => {
  const key = `${language} ${area}`
  const present = loaded.get(key)
  if (present !== undefined) return present
  const loading = load(language, area)
  loaded.set(key, loading)
  // The next call tries again.
  loading.catch(() => loaded.delete(key))
  return loading
}

/** Loads the messages of an area in each language that was used. */
export const loadArea = async (area: Area): Promise<void> => {
  usedAreas.add(area)
  await Promise.all([...usedLanguages].map((language) => loadOnce(language, area)))
}

/** Loads the messages of a language in each area that was used, before the page shows them. */
export const loadLanguage = async (language: Language): Promise<void> => {
  usedLanguages.add(language)
  await Promise.all([...usedAreas].map((area) => loadOnce(language, area)))
}

/** The loaded messages of a part. Each part is bound once it is shown: all of them take a slow device some 25 ms. */
export const partMessages = <Part extends keyof Messages>(language: Language, part: Part): Messages[Part] => {
  const parts: Partial<Messages> = (bound[language] ??= {})
  return (parts[part] ??= bindMessages<Messages[Part]>(compiled[language]![part]!, language))
}
