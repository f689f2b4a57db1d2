import type { Target } from "./senders/DestinationSender.ts"

/**
 * Mailboxes are told apart neither by the case of their names, as practically everywhere, nor by the spelling of their
 * domains: capitals, or the letters of IDNA.
 */
const mailboxOf = (email: string) => {
  const at = email.lastIndexOf("@")
  const domain = email.slice(at + 1)
  const usual = URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : domain.toLowerCase()
  return `${email.slice(0, at).normalize("NFC").toLowerCase()}@${usual}`
}

/** Who gets a mail or a text message, in one spelling; undefined for destinations that send neither. */
export const recipientOf = ({
  destinationType,
  email,
  phoneNumber
}: Pick<Target, "destinationType" | "email" | "phoneNumber">): string | undefined => {
  if (destinationType === "EMAIL" && email !== null) return `EMAIL ${mailboxOf(email)}`
  // E.164 has one spelling of each number.
  if (destinationType === "SMS" && phoneNumber !== null) return `SMS ${phoneNumber}`
  return undefined
}
