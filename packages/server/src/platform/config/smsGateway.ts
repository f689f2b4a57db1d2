/** Who messages come from. */
export type SmsSender =
  | { readonly kind: "From"; readonly value: string }
  | { readonly kind: "MessagingServiceSid"; readonly value: string }

const SERVICE = /^MG[0-9a-fA-F]{32}$/u
const NUMBER = /^\+[1-9]\d{6,14}$/u
const SHORT_CODE = /^\d{3,8}$/u
/** Names need a letter, or they would be numbers. */
const NAME = /^(?=.*[A-Za-z])[A-Za-z0-9 &+_-]{1,11}$/u

/** Reads a number in E.164, a short code, a sender's name of up to 11 characters or a messaging service's id. */
export const smsSender = (text: string): SmsSender | undefined => {
  if (SERVICE.test(text)) return { kind: "MessagingServiceSid", value: text }
  return [NUMBER, SHORT_CODE, NAME].some((form) => form.test(text)) ? { kind: "From", value: text } : undefined
}
