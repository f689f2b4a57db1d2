import { formatNumber } from "../i18n/format.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import "./ListedOf.css"

interface ListedOfProps {
  readonly shown: number
  readonly total: number
}

/** Says that a list is not whole. A list that is cut and has no pages must be followed by this. */
export const ListedOf = ({ shown, total }: ListedOfProps) => {
  const t = useMessages("kit")
  const language = useLanguage()
  if (total <= shown) return null
  return (
    <p className="listed-of muted">
      {t.listedOf({ shown: formatNumber(language, shown), total: formatNumber(language, total) })}
    </p>
  )
}
