/** The newest payload of a topic; undefined if there was none. */
export type ReadTopic = (topic: string) => string | undefined

/** A message for a device. */
export interface Publication {
  readonly topic: string
  readonly payload: string
  /** Whether the broker keeps the message for later subscribers; false by default. */
  readonly retain?: boolean
}

/**
 * The messages of a command in their order, or why the device can't do it. `input`: the command's input as the device will show it,
 * where its own steps round it.
 */
export type MessagePlan =
  | { readonly messages: ReadonlyArray<Publication>; readonly input?: Readonly<Record<string, unknown>> }
  | { readonly refused: string }

/** Whether a text is the topic of one message: no wildcards, no NUL, not one of the broker's own. */
export const isTopic = (text: string): boolean => text !== "" && !/[+#\0]/.test(text) && !text.startsWith("$")
