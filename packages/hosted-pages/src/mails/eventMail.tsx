import type { CSSProperties } from "react"
import { SmallPrint, writeMail } from "./MailDocument.tsx"

interface EventWords {
  readonly headline: string
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>
  /** Why the recipient gets it. */
  readonly reason: string
}

const cell: CSSProperties = { padding: "4px 12px 4px 0", verticalAlign: "top", textAlign: "left" }

/** The HTML of the mail for an event. */
export const eventMail = ({ facts, headline, reason }: EventWords): string =>
  writeMail(
    "en",
    headline,
    <>
      <table role="presentation" style={{ borderCollapse: "collapse" }}>
        <tbody>
          {facts.map(([name, value], index) => (
            <tr key={index}>
              <th scope="row" style={cell}>
                {name}
              </th>
              <td style={cell}>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <SmallPrint>{reason}</SmallPrint>
    </>
  )
