import { useTexts } from "../i18n/useTexts.ts"
import { Button } from "./Button.tsx"
import { kitTexts } from "./texts.ts"
import { useParameters } from "./useParameters.ts"

interface CursorPagerProps {
  /** The cursor of the next page, as the answer of this page gives it. */
  readonly next: string | undefined
  /** The parameter of the address that holds the cursor. */
  readonly parameter?: string
}

/** Moves through a list that is paged by cursors, newest first. The browser's way back leads to the page before. */
export const CursorPager = ({ next, parameter = "cursor" }: CursorPagerProps) => {
  const t = useTexts(kitTexts)
  const [parameters, change] = useParameters()
  const isFirst = parameters[parameter] === undefined
  if (isFirst && next === undefined) return null
  const show = (cursor: string | undefined) => change({ [parameter]: cursor })
  return (
    <nav className="pager" aria-label={t.pages}>
      <span />
      <div className="actions">
        {!isFirst && (
          <Button small icon="left" onClick={() => show(undefined)}>
            {t.newest}
          </Button>
        )}
        <Button small disabled={next === undefined} onClick={() => show(next)}>
          {t.olderOnes}
        </Button>
      </div>
    </nav>
  )
}
