import { type CommonMessages, inEachLanguage, type Messages } from "../scene/messages.ts"
import type { Scene } from "../scene/scene.ts"

/** The messages by language, with those that all pages share. */
export const messages = inEachLanguage(({ common, connect }) => ({ ...common, ...connect }))

/** Everything that the parts of a connect page need. */
export type FlowScene = Scene<CommonMessages & Messages["connect"]>
