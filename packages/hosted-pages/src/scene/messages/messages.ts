import type { Language } from "@edp/domain/shared/Language"
import { type CommonMessages, en } from "./en.ts"
import { es } from "./es.ts"

/** The shared messages by language; a language without messages does not compile. */
export const commonMessages: Readonly<Record<Language, CommonMessages>> = { en, es }

export type { CommonMessages }
