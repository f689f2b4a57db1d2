import { isEmailValid } from "@hapi/address"

/** Whether mail can be sent to an address as far as its form tells. Letters of any script may be in it. */
export const isEmailAddress = (text: string): boolean => isEmailValid(text)
