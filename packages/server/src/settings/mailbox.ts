/** Who mails come from. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** Without anything that could begin another address or another header. */
const ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/u
const NAMED = /^([^<>"\p{Cc}]{1,100}?)\s*<([^<>]{3,254})>$/u

/** Reads `alerts@example.com` or `Energy Platform <alerts@example.com>`; undefined when it is neither. */
export const mailbox = (text: string): Mailbox | undefined => {
  const named = NAMED.exec(text)
  const [name, address] = named === null ? ["", text] : [named[1]!, named[2]!]
  return address.length <= 254 && ADDRESS.test(address) ? { name, address } : undefined
}
