import type { Language } from "@edp/domain/shared/Language"
import type { Scene } from "../../scene/scene.ts"
import { en, type Texts } from "./en.ts"
import { es } from "./es.ts"

/** The texts by language; a language without texts does not compile. */
export const texts: Readonly<Record<Language, Texts>> = { en, es }

/** Everything that the parts of a connect page need. */
export type FlowScene = Scene<Texts>

export type { Texts }
