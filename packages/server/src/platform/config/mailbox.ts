import { isPlainEmailAddress } from "../network/emailAddress.ts"

/** Who mails come from. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

const NAMED = /^([^<>"\p{Cc}]{1,100}?)\s*<([^<>]{3,254})>$/u

/** Reads `alerts@example.com` or `Energy Platform <alerts@example.com>`; undefined when it is neither. */
export const mailbox = (text: string): Mailbox | undefined => {
  const named = NAMED.exec(text)
  const [name, address] = named === null ? ["", text] : [named[1]!, named[2]!]
  return isPlainEmailAddress(address) ? { name, address } : undefined
}
