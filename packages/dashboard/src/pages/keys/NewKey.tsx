import { useMessages } from "../../i18n/useMessages.ts"
import { Code } from "../../kit/Copy.tsx"
import { Notice } from "../../kit/components.tsx"

interface NewKeyProps {
  readonly value: string
  readonly lead: string
  /** The id under which a client of OpenADR signs in. */
  readonly clientId?: string
}

/** The full value of a new key. Nothing can show it again, so it is only in this view and in no store of the page. */
export const NewKey = ({ value, lead, clientId }: NewKeyProps) => {
  const t = useMessages("keys")
  return (
    <>
      <Notice state="warn">{lead}</Notice>
      {clientId !== undefined && (
        <>
          <p>{t.clientId}</p>
          <Code text={clientId} label={t.clientId} />
          <p>{t.clientSecret}</p>
        </>
      )}
      <Code text={value} label={t.secretLabel} />
    </>
  )
}
