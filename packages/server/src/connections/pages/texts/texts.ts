import type { Language } from "../../../adapters/ManufacturerAdapter.ts"
import { en, type Texts } from "./en.ts"
import { es } from "./es.ts"

/** The texts by language; a language without texts does not compile. */
export const texts: Readonly<Record<Language, Texts>> = { en, es }

export type { Texts }
