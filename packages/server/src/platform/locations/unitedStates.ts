import { plainText } from "./plainWords.ts"

const names: ReadonlySet<string> = new Set([
  "US",
  "USA",
  "UNITED STATES",
  "UNITED STATES OF AMERICA",
  "THE UNITED STATES",
  "THE UNITED STATES OF AMERICA"
])

/** Whether a country is the USA, which it is too when it is not given. */
export const isUnitedStates = (country: string | undefined): boolean => {
  const text = country?.trim() ?? ""
  return text === "" || names.has(plainText(text))
}
