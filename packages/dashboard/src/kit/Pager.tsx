import { formatNumber } from "../i18n/format.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { Button } from "./Button.tsx"
import "./Pager.css"

interface PagerProps {
  readonly page: number
  readonly totalPages: number
  readonly totalItems: number
  readonly onPage: (page: number) => void
}

/** Moves between the pages of a list. */
export const Pager = ({ page, totalPages, totalItems, onPage }: PagerProps) => {
  const language = useLanguage()
  const t = useMessages("kit")
  if (totalItems === 0) return null
  const total = <span className="muted">{t.total({ count: formatNumber(language, totalItems) })}</span>
  // Without another page there is nowhere to go.
  if (totalPages <= 1) return <div className="pager">{total}</div>
  return (
    <nav className="pager" aria-label={t.page({ page, pages: totalPages })}>
      {total}
      <div className="actions">
        <Button small icon="left" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          {t.previous}
        </Button>
        <span>{t.page({ page, pages: totalPages })}</span>
        <Button small disabled={page >= totalPages} onClick={() => onPage(page + 1)}>
          {t.next}
        </Button>
      </div>
    </nav>
  )
}
