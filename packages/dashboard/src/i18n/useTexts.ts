import { useAtomValue } from "../state/atoms.ts"
import { languageAtom, type Translated } from "./language.ts"

export const useLanguage = () => useAtomValue(languageAtom)

/** The texts of a part of the page in the chosen language. */
export const useTexts = <Texts>(texts: Translated<Texts>): Texts => texts[useLanguage()]
