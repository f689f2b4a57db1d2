import { useMessages } from "../i18n/useMessages.ts"
import { Button } from "./Button.tsx"

interface CursorPagerProps {
  /** The cursor of the next page, as the response of this page gives it. */
  readonly next: string | undefined
  /** The cursor of this page; undefined for the first. */
  readonly cursor: string | undefined
  readonly onShow: (cursor: string | undefined) => void
}

/** Moves through a list that is paged by cursors, newest first. The browser's way back leads to the page before. */
export const CursorPager = ({ next, cursor, onShow }: CursorPagerProps) => {
  const t = useMessages("kit")
  const isFirst = cursor === undefined
  if (isFirst && next === undefined) return null
  return (
    <nav className="pager" aria-label={t.pages}>
      <span />
      <div className="actions">
        {!isFirst && (
          <Button small icon="left" onClick={() => onShow(undefined)}>
            {t.newest}
          </Button>
        )}
        <Button small disabled={next === undefined} onClick={() => onShow(next)}>
          {t.olderOnes}
        </Button>
      </div>
    </nav>
  )
}
