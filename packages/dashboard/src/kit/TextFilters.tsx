import { SearchField } from "./SearchField.tsx"
import { SearchFilters } from "./SearchFilters.tsx"
import type { Change } from "./useChange.ts"

interface TextFiltersProps<Name extends string> {
  readonly filters: ReadonlyArray<{ readonly name: Name; readonly label: string; readonly placeholder?: string }>
  /** The parameters of the address. */
  readonly search: { readonly [Each in Name]?: string | undefined }
  readonly change: Change<{ [Each in Name]?: string | undefined } & { page?: number | undefined }>
}

/** Filters of a list by texts, which are kept in the address under their names. */
export const TextFilters = <Name extends string>({ filters, search, change }: TextFiltersProps<Name>) => {
  const set = (values: { readonly [name: string]: string | undefined }) =>
    ({ ...values, page: undefined }) as Parameters<typeof change>[0]
  return (
    <SearchFilters
      isFiltered={filters.some(({ name }) => search[name] !== undefined)}
      onClear={() => change(set(Object.fromEntries(filters.map(({ name }) => [name, undefined]))))}
    >
      {filters.map(({ name, ...field }) => (
        <SearchField
          key={name}
          {...field}
          value={search[name]}
          onSearch={(text, options) => change(set({ [name]: text }), options)}
        />
      ))}
    </SearchFilters>
  )
}
