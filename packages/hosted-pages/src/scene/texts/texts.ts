import type { Language } from "@edp/domain/shared/Language"
import { type CommonTexts, en } from "./en.ts"
import { es } from "./es.ts"

/** The shared texts by language; a language without texts does not compile. */
export const commonTexts: Readonly<Record<Language, CommonTexts>> = { en, es }

export type { CommonTexts }
