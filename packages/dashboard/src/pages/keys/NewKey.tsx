import { useMessages } from "../../i18n/useMessages.ts"
import { Code } from "../../kit/Copy.tsx"
import { Notice } from "../../kit/components.tsx"

/** The full value of a new key. Nothing can show it again, so it is only in this view and in no store of the page. */
export const NewKey = ({ value, lead }: { readonly value: string; readonly lead: string }) => {
  const t = useMessages("keys")
  return (
    <>
      <Notice state="warn">{lead}</Notice>
      <Code text={value} label={t.secretLabel} />
    </>
  )
}
