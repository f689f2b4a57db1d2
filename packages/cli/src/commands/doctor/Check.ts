/** What a check found, and where something is wrong, what to do. */
export interface Check {
  readonly name: string
  readonly status: "ok" | "warning" | "failed"
  readonly message: string
  readonly advice?: string
}

export const ok = (name: string, message: string): Check => ({ name, status: "ok", message })
export const warning = (name: string, message: string, advice: string): Check => ({
  name,
  status: "warning",
  message,
  advice
})
export const failed = (name: string, message: string, advice: string): Check => ({
  name,
  status: "failed",
  message,
  advice
})
