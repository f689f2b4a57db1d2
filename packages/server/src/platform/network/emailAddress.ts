import { isEmailValid } from "@hapi/address"

/** Whether a relay without SMTPUTF8 takes an address as a sender: in ASCII, also at a host of a private network. */
export const isPlainEmailAddress = (text: string): boolean =>
  isEmailValid(text, { allowUnicode: false, minDomainSegments: 1 })

/** Whether mail can be sent to an address as far as its form tells. Letters of any script may be in it. */
export const isEmailAddress = (text: string): boolean => isEmailValid(text)
