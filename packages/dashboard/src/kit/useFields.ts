import { useState } from "react"
import type { Problem } from "../api/problems.ts"

/**
 * The texts of a form, and a function that ties a field to the text of a name. The field shows why the service refused it, given the
 * problem of the write; `path` is where its value is in the request.
 */
export const useFields = <Fields extends { readonly [Name in keyof Fields]: string }>(initial: Fields) => {
  const [values, setValues] = useState(initial)
  const bind =
    (problem: Problem | undefined) =>
    (name: keyof Fields & string, path: string = name) => ({
      value: values[name] as string,
      onChange: (value: string) => setValues((former) => ({ ...former, [name]: value })),
      problem: problem?.kind === "refused" ? problem.details[path] : undefined
    })
  return [values, bind] as const
}
