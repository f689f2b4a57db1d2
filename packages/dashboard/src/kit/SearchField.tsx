import type { ReactNode } from "react"
import { TextField } from "./Field.tsx"
import { useParameters } from "./useParameters.ts"
import { useSearch } from "./useSearch.ts"

interface SearchFieldProps {
  readonly label: ReactNode
  /** The parameter of the address that keeps the text. */
  readonly parameter: string
  readonly placeholder?: string
  readonly maxLength?: number
}

/** A filter of a list: its text is in the address, and a change leads to the first page. A text that is begun is a step. */
export const SearchField = ({ label, parameter, placeholder, maxLength = 255 }: SearchFieldProps) => {
  const [parameters, change] = useParameters()
  const former = parameters[parameter]
  const [text, setText] = useSearch(former, (next) =>
    change({ [parameter]: next, page: undefined, cursor: undefined }, { replace: former !== undefined })
  )
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
