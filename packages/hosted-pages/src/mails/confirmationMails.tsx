import type { Language } from "@edp/domain/shared/Language"
import { messages } from "../enroll/messages.ts"
import { SmallPrint, writeMail } from "./MailDocument.tsx"

/** A mail as plain text and as HTML. */
interface MailText {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The subject of the mails of an enrollment. */
interface Words {
  readonly language: Language
  /** The title of the program instance. */
  readonly title: string
  /** The workspace's name; null while nobody has named it. */
  readonly asker: string | null
}

const oneLine = (text: string) => text.replaceAll(/\s+/gu, " ").trim()

const askerName = (language: Language, asker: string | null) => oneLine(asker ?? messages[language].unknownAsker)

/** The mail with the link that confirms an address. */
export const confirmationMail = ({
  asker,
  days,
  language,
  link,
  title
}: Words & { readonly link: string; readonly days: number }): MailText => {
  const { ignore, lead, action, subject, works } = messages[language].mails.confirm
  const [first, last] = [
    lead({ title: oneLine(title), asker: askerName(language, asker) }),
    `${works({ days })} ${ignore}`
  ]
  return {
    subject: subject({ title: oneLine(title) }),
    text: `${first}\n\n${action}:\n${link}\n\n${last}\n`,
    html: writeMail(
      language,
      subject({ title: oneLine(title) }),
      <>
        <p>{first}</p>
        <p>
          <a href={link}>{action}</a>
        </p>
        <SmallPrint>{last}</SmallPrint>
      </>
    )
  }
}

/** The mail to somebody who takes part already. It has no link: there is nothing to confirm. */
export const takesPartMail = ({ asker, language, title }: Words): MailText => {
  const { lead, nothing, subject } = messages[language].mails.takesPart
  const first = lead({ title: oneLine(title), asker: askerName(language, asker) })
  return {
    subject: subject({ title: oneLine(title) }),
    text: `${first}\n\n${nothing({ asker: askerName(language, asker) })}\n`,
    html: writeMail(
      language,
      subject({ title: oneLine(title) }),
      <>
        <p>{first}</p>
        <p>{nothing({ asker: askerName(language, asker) })}</p>
      </>
    )
  }
}
