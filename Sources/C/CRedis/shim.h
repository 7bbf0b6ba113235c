#pragma once
#include <hiredis/hiredis.h>
#include <sys/time.h>
