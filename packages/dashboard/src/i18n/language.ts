import { type Language, languages } from "@edp/domain/shared/Language"
import { Atom } from "effect/reactivity"
import { readSetting, writeSetting } from "../state/settings.ts"

const isLanguage = (text: string | null | undefined): text is Language => languages.includes(text as Language)

/** The language that the browser prefers among those of the page. */
const preferred = (): Language =>
  navigator.languages.map((each) => each.slice(0, 2).toLowerCase()).find(isLanguage) ?? languages[0]

const stored = readSetting("language")

/** The language of the page: as chosen, else the browser's. */
export const languageAtom = Atom.keepAlive(Atom.make<Language>(isLanguage(stored) ? stored : preferred()))

export const rememberLanguage = (language: Language) => {
  writeSetting("language", language)
}
