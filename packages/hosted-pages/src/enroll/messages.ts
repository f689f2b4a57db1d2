import { type CommonMessages, inEachLanguage, type Messages } from "../scene/messages.ts"
import type { Scene } from "../scene/scene.ts"

/** The messages by language, with those that all pages share. */
export const messages = inEachLanguage(({ common, enroll }) => ({ ...common, ...enroll }))

/** Everything that the parts of an enrollment page need. */
export type EnrollScene = Scene<CommonMessages & Messages["enroll"]>
