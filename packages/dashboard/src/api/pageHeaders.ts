/** Values that every request of the page carries. They change with the session and the chosen workspace. */
interface PageHeaders {
  csrfToken: string | null
  workspaceId: string | null
}

const current: PageHeaders = { csrfToken: null, workspaceId: null }

export const setPageHeaders = (values: Partial<PageHeaders>) => {
  Object.assign(current, values)
}

/** A value that each session has for itself. */
export const sessionMark = () => current.csrfToken

/** The headers of a request about the session: for writes the proof that this page sends it. */
export const sessionHeaders = (method: string): Readonly<Record<string, string>> => ({
  ...(current.csrfToken !== null && method !== "GET" && { "x-csrf-token": current.csrfToken })
})

/** The headers of a request: those of the session, and the workspace. */
export const pageHeaders = (method: string): Readonly<Record<string, string>> => ({
  ...sessionHeaders(method),
  ...(current.workspaceId !== null && { "x-workspace-id": current.workspaceId })
})
