import { useAtomValue } from "../state/atoms.ts"
import { languageAtom, type Translated } from "./language.ts"

export const useLanguage = () => useAtomValue(languageAtom)

/** The messages of a part of the page in the chosen language. */
export const useMessages = <Messages>(messages: Translated<Messages>): Messages => messages[useLanguage()]
