"""A Modbus TCP server on pymodbus, with the registers that its standard input gives.

The first line of the input is a JSON object of registers by unit, table and address: {"1": {"holding": {"40000": [1, 2]}}}.
Its argument is the port, 0 for any free one. Prints its port, and ends with its input. Addresses that are not given are refused, as are units.
"""

import asyncio
import json
import sys

from pymodbus.datastore import ModbusServerContext, ModbusSlaveContext, ModbusSparseDataBlock
from pymodbus.server.async_io import ModbusTcpServer


def block(ranges):
    values = {}
    for address, words in ranges.items():
        for n, word in enumerate(words):
            values[int(address) + n] = word
    # pymodbus takes an empty block for a missing one.
    return ModbusSparseDataBlock(values or {70000: 0})


def context(units):
    slaves = {
        int(unit): ModbusSlaveContext(
            di=block({}),
            co=block({}),
            hr=block(tables.get("holding", {})),
            ir=block(tables.get("input", {})),
            zero_mode=True,
        )
        for unit, tables in units.items()
    }
    return ModbusServerContext(slaves=slaves, single=False)


async def main():
    units = json.loads(sys.stdin.readline())
    port = int(sys.argv[1])
    # A restarted server takes the port over at once.
    server = ModbusTcpServer(context(units), address=("127.0.0.1", port), allow_reuse_address=True)
    serving = asyncio.ensure_future(server.serve_forever())
    await server.serving
    print(server.server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    serving.cancel()


asyncio.run(main())
