import { useAtomValue } from "../state/atoms.ts"
import { languageAtom, type Translated } from "./language.ts"
import { type Messages, messagesIn } from "./messages.ts"

export const useLanguage = () => useAtomValue(languageAtom)

/** The messages of a part of the page in the chosen language. */
export function useMessages<Name extends keyof Messages>(part: Name): Messages[Name]
export function useMessages<Table>(messages: Translated<Table>): Table
export function useMessages(part: keyof Messages | Translated<unknown>): unknown {
  const language = useLanguage()
  return typeof part === "string" ? messagesIn(language)[part] : part[language]
}
