import type { GridConnection } from "@edp/domain/grid/GridConnection"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { gridConnectionChanged, gridConnectionsChanged, GridClient } from "../../resources/grid.ts"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"

/** The acts on a connection, with what the page says afterwards. */
export const useConnectionActs = () => {
  const t = useMessages("grid")
  const toast = useToast()
  const call = useApi(GridClient)
  const setEnabled = useAction(async ({ enabled, id }: Pick<GridConnection, "enabled" | "id">) => {
    await call(({ grid }) => grid.updateConnection({ params: { id }, payload: { enabled } }), gridConnectionChanged(id))
    toast.done(enabled ? t.resumed : t.pausedDone)
  })
  const remove = async ({ id, name }: Pick<GridConnection, "id" | "name">) => {
    await call(({ grid }) => grid.removeConnection({ params: { id } }), [...gridConnectionsChanged, "dispatches"])
    toast.done(t.removed({ name }))
  }
  return { setEnabled, remove }
}
