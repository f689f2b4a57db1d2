import type { Language } from "@edp/domain/shared/Language"
import type { Scene } from "../../scene/scene.ts"
import { en, type Messages } from "./en.ts"
import { es } from "./es.ts"

/** The messages by language; a language without messages does not compile. */
export const messages: Readonly<Record<Language, Messages>> = { en, es }

/** Everything that the parts of an enrollment page need. */
export type EnrollScene = Scene<Messages>

export type { Messages }
