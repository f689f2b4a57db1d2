import { useAtomValue } from "../state/atoms.ts"
import { languageAtom } from "./language.ts"
import { type Messages, partMessages } from "./messages.ts"

export const useLanguage = () => useAtomValue(languageAtom)

/** The messages of a part of the page in the chosen language. */
export const useMessages = <Part extends keyof Messages>(part: Part): Messages[Part] =>
  partMessages(useLanguage(), part)
