#pragma once
#include <libmemcached/memcached.h>
#include <stdlib.h>
