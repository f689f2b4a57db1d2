import type { ReactNode } from "react"
import { useMessages } from "../i18n/useMessages.ts"
import { Button } from "./Button.tsx"

interface SearchFiltersProps {
  /** Whether any of the fields has a value. */
  readonly isFiltered: boolean
  readonly onClear: () => void
  readonly children: ReactNode
}

/** The fields by which a list is searched, and a button that empties them. */
export const SearchFilters = ({ isFiltered, onClear, children }: SearchFiltersProps) => {
  const t = useMessages("kit")
  return (
    <div className="filters" role="search">
      {children}
      {isFiltered && (
        <Button tone="quiet" icon="cross" onClick={onClear}>
          {t.clearFilters}
        </Button>
      )}
    </div>
  )
}
