import type { ReactNode } from "react"
import { useTexts } from "../i18n/useTexts.ts"
import { Button } from "./Button.tsx"
import { kitTexts } from "./texts.ts"
import { useParameters } from "./useParameters.ts"

/** The filters of a list that are in the address, by the names of their parameters, and whether there are any. */
export const useFilters = <Name extends string>(names: ReadonlyArray<Name>) => {
  const [parameters] = useParameters()
  const filters = Object.fromEntries(names.map((name) => [name, parameters[name]])) as Readonly<
    Record<Name, string | undefined>
  >
  return { filters, isFiltered: names.some((name) => parameters[name] !== undefined) }
}

interface SearchFiltersProps {
  /** The parameters of the fields. */
  readonly names: ReadonlyArray<string>
  readonly children: ReactNode
}

/** The fields by which a list is searched, and a button that empties them. */
export const SearchFilters = ({ names, children }: SearchFiltersProps) => {
  const t = useTexts(kitTexts)
  const [, change] = useParameters()
  const { isFiltered } = useFilters(names)
  return (
    <div className="filters" role="search">
      {children}
      {isFiltered && (
        <Button
          tone="quiet"
          icon="cross"
          onClick={() => change({ ...Object.fromEntries(names.map((name) => [name, undefined])), page: undefined })}
        >
          {t.clearFilters}
        </Button>
      )}
    </div>
  )
}
