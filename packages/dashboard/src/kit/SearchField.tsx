import type { ReactNode } from "react"
import { TextField } from "./Field.tsx"
import { useParameters } from "./useParameters.ts"
import { useSearch } from "./useSearch.ts"

interface SearchFieldProps {
  readonly label: ReactNode
  /** The parameter of the address that keeps the text. */
  readonly parameter: string
  readonly placeholder?: string
}

/** A filter of a list: its text is in the address, and a change leads to the first page. */
export const SearchField = ({ label, parameter, placeholder }: SearchFieldProps) => {
  const [parameters, change] = useParameters()
  const [text, setText] = useSearch(parameters[parameter], (next) => change({ [parameter]: next, page: undefined }))
  return (
    <TextField
      label={label}
      value={text}
      onChange={setText}
      type="search"
      {...(placeholder !== undefined && { placeholder })}
    />
  )
}
