import type { ReactNode } from "react"
import { TextField } from "./Field.tsx"
import type { ChangeOptions } from "./useChange.ts"
import { useSearch } from "./useSearch.ts"

interface SearchFieldProps {
  readonly label: ReactNode
  readonly value: string | undefined
  /** Takes over a text that was typed. A text that is begun is a step; one that goes on being typed replaces it. */
  readonly onSearch: (text: string | undefined, options: ChangeOptions) => void
  readonly placeholder?: string
  readonly maxLength?: number
}

/** A filter of a list by a text, which is kept in the address. */
export const SearchField = ({ label, value, onSearch, placeholder, maxLength = 255 }: SearchFieldProps) => {
  const [text, setText] = useSearch(value, (next) => onSearch(next, { replace: value !== undefined }))
  return (
    <TextField
      label={label}
      value={text}
      onChange={setText}
      type="search"
      maxLength={maxLength}
      {...(placeholder !== undefined && { placeholder })}
    />
  )
}
